import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700
const PERMISSION_BITS = 0o777
const DATA_FILE =
  /^(tollgate\.db(-wal|-shm|-journal|\.(lock|restore|replaced).*)?|secret-key|charges|backups|lost\+found)$/

/** Creates a folder that only its owner can enter. An existing one is not changed. */
export function createPrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_FOLDER })
}

/** Creates an empty file that only its owner can read. The contents of an existing one are kept. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY_FILE))
  makeFilePrivate(path)
}

/** Closes an existing file to everybody but its owner, if this process is the owner. */
export function makeFilePrivate(path: string): void {
  restrict(path, OWNER_ONLY_FILE)
}

/** The same for a data folder, if it contains nothing of anybody else: it could be a home directory. */
export function makeDataFolderPrivate(path: string): void {
  if (namesIn(path).every(name => DATA_FILE.test(name))) restrict(path, OWNER_ONLY_FOLDER)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return ['unreadable']
  }
}

/** Some file systems have no permissions; the installation has to work there too. */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.uid !== process.getuid?.() || (found.mode & PERMISSION_BITS & ~mode) === 0) return
  try {
    chmodSync(path, found.mode & mode)
  } catch {
    return
  }
}
