/** How a question is asked: the number of results, the way over the graph, the ranking and its weights. */

import { useEffect, useState } from "preact/hooks";
import { half, withChoice, type Choices } from "./choices";
import type { PageData, Parameter, Recipe } from "./types";

const WAIT = 250; // ms after which a slider that rests counts
const MOST_BY_SLIDER = 30;
const ALWAYS = ["bm25_weight"];

interface Props {
  choices: Choices;
  data: PageData;
  onChange: (choices: Choices) => void;
}

export function Controls({ choices, data, onChange }: Props) {
  const { parameters } = data;
  const own = data.recipes[String(choices["recipe"] ?? "own")] ?? (data.recipes["own"] as Recipe);
  const set = (name: string, value: unknown) => onChange(withChoice(choices, name, value));
  const given = (name: string) => parameters[name] as Parameter;
  const weights = (choices["weights"] ?? {}) as Record<string, number>;
  const chosen = (choices["channels"] as string[] | undefined) ?? own.channels;
  const slider = (name: string, label: string, fallback: number, most: number) => (
    <Slider
      id={name}
      label={label}
      help={given(name).description}
      value={Number(choices[name] ?? fallback)}
      least={given(name).minimum ?? 0}
      most={Math.min(given(name).maximum ?? most, most)}
      step={1}
      usual={fallback}
      onValue={(value) => set(name, value === fallback ? undefined : value)}
    />
  );
  const select = (name: string, label: string, usual: string, options: string[]) => (
    <label class={choices[name] === undefined ? "choice" : "choice changed"} title={given(name).description}>
      <span>{label}</span>
      <select
        value={String(choices[name] ?? usual)}
        onChange={(event) => {
          const value = event.currentTarget.value;
          set(name, value === usual ? undefined : value);
        }}
      >
        {options.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
  const results = Number(given("k").default);
  return (
    <>
      {slider("k", "Results", results, MOST_BY_SLIDER)}
      {slider("from_graph", "From the graph", half(Number(choices["k"] ?? results)), MOST_BY_SLIDER)}
      {slider("hops", "Hops", own.hops, 10)}
      {select("mode", "Mode", String(given("mode").default), given("mode").enum ?? [])}
      <fieldset class="channels">
        <legend>Channels</legend>
        {(given("channels").items?.enum ?? []).map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => {
                const on = event.currentTarget.checked;
                const now = on ? [...chosen, name] : chosen.filter((each) => each !== name);
                const same = now.length === own.channels.length && now.every((each) => own.channels.includes(each));
                if (now.length > 0) set("channels", same ? undefined : now);
                else event.currentTarget.checked = true; // one at least is followed
              }}
            />
            <span class={`dot of-${name}`} /> {name}
          </label>
        ))}
      </fieldset>
      {select("recipe", "Recipe", "own", given("recipe").enum ?? [])}
      {select("ranking", "Ranking", own.ranking, withUsual(given("ranking").enum ?? [], own.ranking))}
      {select("fusion", "Fusion", own.fusion, given("fusion").enum ?? [])}
      <Switch name="deduplicate" label="Leave out near-duplicates" usual={own.deduplicate} {...{ choices, set, data }} />
      <Switch name="decompose" label="Ask part by part" usual={own.decompose} {...{ choices, set, data }} />
      <details class="weights" open={Object.keys(weights).length > 0}>
        <summary>Weights</summary>
        {weightNames(choices, data, own).map((name) => {
          const { maximum, description } = given("weights").properties?.[name] ?? { maximum: 1, description: "" };
          const usual = own.weights[name] ?? 0;
          return (
            <Slider
              key={name}
              id={`weight-${name}`}
              label={name.replaceAll("_", " ")}
              help={description}
              value={Number(weights[name] ?? usual)}
              least={0}
              most={maximum}
              step={maximum > 1 ? 0.5 : 0.05}
              usual={usual}
              onValue={(value) => {
                const { [name]: _former, ...others } = weights;
                set("weights", value === usual ? others : { ...others, [name]: value });
              }}
            />
          );
        })}
      </details>
    </>
  );
}

function withUsual(options: string[], usual: string): string[] {
  return options.includes(usual) ? options : [usual, ...options];
}

/** The weights that make a difference to the answer. */
function weightNames(choices: Choices, data: PageData, own: Recipe): string[] {
  const known = data.parameters["weights"]?.properties ?? {};
  const ranking = String(choices["ranking"] ?? own.ranking);
  const wanted = new Set([...ALWAYS, ...(data.rankingParameters[ranking] ?? [])]);
  if (Number(choices["hops"] ?? own.hops) > 1) wanted.add("decay");
  if (choices["deduplicate"] ?? own.deduplicate) wanted.add("duplicate_threshold");
  for (const name of Object.keys((choices["weights"] as object | undefined) ?? {})) wanted.add(name);
  return Object.keys(known).filter((name) => wanted.has(name));
}

interface SwitchProps {
  name: string;
  label: string;
  usual: boolean;
  choices: Choices;
  data: PageData;
  set: (name: string, value: unknown) => void;
}

function Switch({ name, label, usual, choices, data, set }: SwitchProps) {
  return (
    <label class="check" title={data.parameters[name]?.description}>
      <input
        type="checkbox"
        checked={Boolean(choices[name] ?? usual)}
        onChange={(event) => set(name, event.currentTarget.checked === usual ? undefined : event.currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}

interface SliderProps {
  id: string;
  label: string;
  help: string;
  value: number;
  least: number;
  most: number;
  step: number;
  usual: number;
  onValue: (value: number) => void;
}

/** A slider that tells its value once it rests. */
function Slider({ id, label, help, value, least, most, step, usual, onValue }: SliderProps) {
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  useEffect(() => {
    if (shown === value) return;
    const timer = setTimeout(() => onValue(shown), WAIT);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div class={value === usual ? "slider" : "slider changed"} title={help}>
      <label for={id}>{label}</label>
      <output for={id} class="number">
        {shown}
      </output>
      <input
        id={id}
        type="range"
        min={least}
        max={Math.max(most, value)}
        step={step}
        value={shown}
        onInput={(event) => setShown(Number(event.currentTarget.value))}
      />
    </div>
  );
}
