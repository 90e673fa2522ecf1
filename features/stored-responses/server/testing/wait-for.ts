const WAIT_MS = 5_000

/** Throws when it does not become so in time. */
export async function waitFor(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + WAIT_MS
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('it did not happen')
    await Bun.sleep(5)
  }
}
