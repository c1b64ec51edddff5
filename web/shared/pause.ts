/** A moment of waiting; what is told meanwhile is told all the same. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
