/**
 * One page, tab or worker at a time changes the browser's subscription. What has to be told is handed out in an array:
 * nobody keeps the turn until the server has heard it.
 */
export async function inTurn<Told>(change: () => Promise<Told>): Promise<Told> {
  return navigator.locks.request('beckon-push', change)
}
