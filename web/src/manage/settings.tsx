/** The settings in force, with their meanings. */

import { useState } from "preact/hooks";
import type * as api from "../api";
import { Alert } from "../shared/alert";
import { address } from "../shared/page";
import { useLoaded } from "../shared/use_request";

export function Settings() {
  const { value, error } = useLoaded<api.Settings>(address("/v1/admin/settings"));
  const [text, setText] = useState("");
  const [changed, setChanged] = useState(false);
  if (error !== null) return <Alert error={error} />;
  if (value === null) return <p role="status">Loading …</p>;
  const words = text.toLowerCase().split(/\s+/);
  const shown = value.settings.filter((each) => {
    const said = `${each.name} ${each.help}`.toLowerCase();
    return words.every((word) => said.includes(word)) && (!changed || each.value !== each.default);
  });
  return (
    <>
      <p>
        A setting is changed in the environment (<code>SAGE_LD_NAME</code>) or, unless it says otherwise, in the table{" "}
        <code>[settings]</code> of the graph's <code>sage-ld.toml</code>; the service reads it when it starts.
      </p>
      <p class="row">
        <label for="words">Words</label>
        <input id="words" type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <label>
          <input type="checkbox" checked={changed} onChange={(event) => setChanged(event.currentTarget.checked)} /> Only
          those that are not at their default
        </label>
      </p>
      <p class="quiet" role="status">
        {shown.length} of {value.settings.length} settings
      </p>
      <dl class="facts">
        {shown.map((each) => (
          <div key={each.name}>
            <dt>
              <code>{each.name}</code> = {said(each.value)} {each.unit}
            </dt>
            <dd>
              {each.help}{" "}
              <span class="quiet">
                Default {said(each.default)}.{each.only_environment ? " Only in the environment." : ""}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function said(value: string | number | boolean): string {
  if (typeof value === "number") return value.toLocaleString("en");
  return value === "" ? "(empty)" : String(value);
}
