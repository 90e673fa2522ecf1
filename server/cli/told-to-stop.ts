/** Resolves when the process is asked to end, or, a worker, when its parent is gone: that is the end of what it reads. */
export const toldToStop = ({ isWorker = false } = {}): Promise<void> =>
  new Promise(resolve => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
    if (isWorker) process.stdin.once('end', () => resolve()).resume()
  })
