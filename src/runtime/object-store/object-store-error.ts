/**
 * Why an object store did not do what it was asked for. `away`: it cannot be reached, or says that it cannot work now. `missing`: there is no
 * such object. `damaged`: the object has another content than it should have. `refused`: everything else, such as a wrong key.
 */
export type ObjectStoreTrouble = 'away' | 'missing' | 'damaged' | 'refused'

/** Its message has the name of the object and the answer's code, and never a key or a signature. */
export class ObjectStoreError extends Error {
  readonly trouble: ObjectStoreTrouble

  constructor(trouble: ObjectStoreTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.trouble = trouble
  }
}

export function isStoreAway(cause: unknown): boolean {
  return cause instanceof ObjectStoreError && cause.trouble === 'away'
}
