import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The path of a file or folder of the project. */
export const inProject = (...parts) => join(ROOT, ...parts)
