import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the project. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Returns the absolute path of a file or folder of the project. */
export const inProject = (...parts) => join(ROOT, ...parts)
