function n(e){return e===void 0?[]:Array.isArray(e)?e:[e]}export{n as a};
