// Asks a SPARQL endpoint by Comunica: node query.mjs URL QUERY. Prints one JSON object a row or triple.
import { QueryEngine } from '@comunica/query-sparql';

const [url, query] = process.argv.slice(2);
const engine = new QueryEngine();
const asked = await engine.query(query, { sources: [{ type: 'sparql', value: url }] });
const stream = await asked.execute();
for await (const each of stream) {
  const terms = asked.resultType === 'bindings'
    ? [...each].map(([variable, term]) => [variable.value, term.value])
    : ['subject', 'predicate', 'object'].map((part) => [part, each[part].value]);
  console.log(JSON.stringify(Object.fromEntries(terms)));
}
