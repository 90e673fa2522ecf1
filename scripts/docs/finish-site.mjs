import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { inProject } from '../lib/project.mjs'
import { llmsText, twinOf } from './llms-text.mjs'

const compress = promisify(brotliCompress)

/** The site as the gateway serves it. */
export const SITE = inProject('dist', 'docs')
const COMPRESSED = new Set(['.html', '.js', '.css', '.json', '.svg', '.txt', '.md'])
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g

/**
 * Completes a build of VitePress and moves it to `dist/docs`: adds `llms.txt`, a Markdown twin of each page and the hashes of
 * the inline scripts, and keeps texts compressed only, since that is how nearly every client takes them.
 */
export async function finishSite({ outDir, pages, srcDir }) {
  const sources = pages.map(page => ({ page, text: readFileSync(join(srcDir, page), 'utf8') }))
  for (const { page, text } of sources) write(join(outDir, page), twinOf(text))
  write(join(outDir, 'llms.txt'), llmsText(sources))
  rmSync(join(outDir, 'hashmap.json'), { force: true })
  const files = filesIn(outDir)
  write(join(outDir, 'script-hashes.json'), JSON.stringify(scriptHashes(files)))
  await Promise.all([...files, join(outDir, 'script-hashes.json')].map(compressFile))
  rmSync(SITE, { recursive: true, force: true })
  renameSync(outDir, SITE)
}

const filesIn = folder =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** `sha256-…` of every inline script of the site, for its content security policy. */
function scriptHashes(files) {
  const scripts = files
    .filter(file => file.endsWith('.html'))
    .flatMap(file => [...readFileSync(file, 'utf8').matchAll(INLINE_SCRIPT)].map(([, script]) => script))
  return [...new Set(scripts)].map(script => `sha256-${createHash('sha256').update(script).digest('base64')}`)
}

async function compressFile(file) {
  if (!COMPRESSED.has(extname(file))) return
  writeFileSync(`${file}.br`, await compress(readFileSync(file)))
  rmSync(file)
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
