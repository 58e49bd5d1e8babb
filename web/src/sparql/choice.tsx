/** A choice of one column or form, with its label. */

interface ChoiceOptions {
  label: string;
  value: string;
  options: readonly string[];
  set: (value: string) => void;
}

export function Choice({ label, value, options, set }: ChoiceOptions) {
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map((each) => (
          <option key={each} value={each}>
            {each === "" ? "none" : each}
          </option>
        ))}
      </select>
    </label>
  );
}
