/** Ends a `switch` over a closed union: adding a member without a case stops the type check. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
