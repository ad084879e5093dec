export function p(s: string) {
  return JSON.parse(s);
}
