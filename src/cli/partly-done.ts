/** What was asked is done but for a part that was refused and told: one sentence, and an exit code of its own. */
export class PartlyDone extends Error {}
