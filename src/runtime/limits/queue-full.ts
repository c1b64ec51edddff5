/** More is waiting than may wait, or something waited too long; the caller should come back later. */
export class QueueFull extends Error {}
