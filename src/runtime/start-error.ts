/** Why Beckon cannot start, in one sentence for the person at the terminal: `main` prints it without a stack. */
export class StartError extends Error {}
