const unused = 1; // at: unused
function f(a) {
  return missing(a); // at: missing
}
