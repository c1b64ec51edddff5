/**
 * Lets one page, tab or worker at a time change the browser's push subscription. A change returns the promise of its
 * command inside an array, so that the lock is not held until the server has answered.
 */
export async function inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
  return navigator.locks.request('beckon-push', change)
}
