// Reads JSON-LD from standard input by jsonld.js and prints N-Quads. It loads no context from anywhere.
import jsonld from 'jsonld';

const documentLoader = (url) => {
  throw new Error(`a context from elsewhere: ${url}`);
};
const chunks = [];
for await (const each of process.stdin) chunks.push(each);
const document = JSON.parse(Buffer.concat(chunks).toString());
process.stdout.write(await jsonld.toRDF(document, { format: 'application/n-quads', documentLoader }));
