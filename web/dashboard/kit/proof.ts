type Asker = () => Promise<boolean>

let asker: Asker | null = null

/** The frame brings the dialog that asks for the password. */
export function setProofAsker(next: Asker | null): void {
  asker = next
}

/** Asks the member to prove again who they are; false when they would rather not. */
export async function askProof(): Promise<boolean> {
  return asker === null ? false : asker()
}
