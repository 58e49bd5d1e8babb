/** The page by which clients with a token add documents and look after the graph. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Analytics } from "../manage/analytics";
import { Documents } from "../manage/documents";
import { Evaluation } from "../manage/evaluation";
import { Jobs } from "../manage/jobs";
import { Operation } from "../manage/operation";
import { Relations } from "../manage/relations";
import { Settings } from "../manage/settings";
import { Tokens } from "../manage/tokens";
import { Uploads } from "../manage/uploads";
import { includes, type Role, SignIn, useRole } from "../shared/sign_in";

interface Panel {
  name: string;
  title: string;
  needs: Role;
  show: () => preact.JSX.Element;
}

const PANELS: readonly Panel[] = [
  { name: "add", title: "Add", needs: "write", show: () => <Uploads /> },
  { name: "documents", title: "Documents", needs: "write", show: () => <Documents /> },
  { name: "relations", title: "Relations", needs: "write", show: () => <Relations /> },
  { name: "jobs", title: "Jobs", needs: "write", show: () => <Jobs /> },
  { name: "evaluation", title: "Evaluation", needs: "read", show: () => <Evaluation /> },
  { name: "questions", title: "Questions asked", needs: "admin", show: () => <Analytics /> },
  { name: "operation", title: "Operation", needs: "admin", show: () => <Operation /> },
  { name: "tokens", title: "Tokens", needs: "admin", show: () => <Tokens /> },
  { name: "settings", title: "Settings", needs: "admin", show: () => <Settings /> },
];

/** What a role may not do, and which one may. */
const MORE: Partial<Record<Role, string>> = {
  read: "Adding and changing documents needs a token of the role write; upkeep, tokens and settings one of the role admin.",
  write: "Upkeep, tokens and settings need a token of the role admin.",
};

function Manage() {
  const role = useRole();
  const [name, setName] = useState(location.hash.slice(1));
  useEffect(() => {
    const follow = () => setName(location.hash.slice(1));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const allowed = PANELS.filter((each) => role !== null && includes(role, each.needs));
  const shown = allowed.find((each) => each.name === name) ?? allowed[0];
  return (
    <>
      <SignIn role={role} />
      {shown !== undefined && (
        <>
          {MORE[role ?? "none"] !== undefined && <p class="quiet">{MORE[role ?? "none"]}</p>}
          <nav class="panels" aria-label="Management">
            {allowed.map((each) => (
              <a key={each.name} href={`#${each.name}`} aria-current={each === shown ? "page" : undefined}>
                {each.title}
              </a>
            ))}
          </nav>
          <section aria-labelledby="panel" key={shown.name}>
            <h2 id="panel">{shown.title}</h2>
            {shown.show()}
          </section>
        </>
      )}
    </>
  );
}

const place = document.getElementById("app");
if (place !== null) {
  place.replaceChildren();
  render(<Manage />, place);
}
