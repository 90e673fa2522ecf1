import { existsSync, readFileSync } from 'node:fs'
import { inProject } from './lib/project.mjs'

/** Kilobytes (1,000 bytes) as served, compressed with brotli. */
const BUDGETS = {
  /** Everything that a page loads before it is usable. */
  firstLoad: 200,
  login: 158,
  /** Code that a screen adds to the entry and the shell. */
  screen: 35,
  /** Code of a part that loads later: a sheet, a dialog, a menu. */
  part: 45,
  /** The same with shared overlays and form fields, for the first part that is opened on its screen. */
  partWithKit: 120,
  css: 25,
}
const BUILD = inProject('dist', 'console')
const ENTRY = 'index.html'
const SHELL = 'app/shell/shell.tsx'
const PAGE = /features\/(.+)\/page\.tsx$/
const PART = /features\/(.+)\//
const CHART = /chart|recharts/

const manifest = JSON.parse(readFileSync(`${BUILD}/.vite/manifest.json`, 'utf8'))
const sizes = new Map()

/** Kilobytes of a built file as served. */
function sizeOf(file) {
  if (!sizes.has(file)) sizes.set(file, readFileSync(`${BUILD}/${file}.br`).length / 1000)
  return sizes.get(file)
}

/** The script files that `key` loads before it runs. */
function filesOf(key, found = new Set()) {
  const chunk = manifest[key]
  if (!chunk || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(imported, found)
  return found
}

const sum = files => [...files].reduce((total, file) => total + sizeOf(file), 0)

const entry = filesOf(ENTRY)
const base = filesOf(SHELL, new Set(entry))
const later = Object.keys(manifest).filter(key => manifest[key].isDynamicEntry && key !== SHELL)
/** The folder of the screen whose page `key` is; undefined for anything else. A screen's page stands beside its manifest. */
function screenOf(key) {
  const folder = PAGE.exec(key)?.[1]
  return folder && existsSync(inProject('features', folder, 'index.tsx')) ? folder : undefined
}
const pageOf = new Map(later.flatMap(key => (screenOf(key) ? [[screenOf(key), key]] : [])))
/** The page of the nearest screen around a part. */
function pageAround(key) {
  let folder = PART.exec(key)?.[1]
  while (folder && !pageOf.has(folder))
    folder = folder.includes('/') ? folder.replace(/\/[^/]+$/, '') : undefined
  return pageOf.get(folder)
}
/** Files that are already loaded when `key` is: those of the shell and, for a part of a screen, of its screen. */
const loadedBefore = key => {
  const screen = pageAround(key)
  return screen === undefined || screen === key ? base : filesOf(screen, new Set(base))
}
const added = new Map(
  later.map(key => {
    const loaded = loadedBefore(key)
    return [key, [...filesOf(key)].filter(file => !loaded.has(file))]
  }),
)
const users = new Map()
for (const file of [...added.values()].flat()) users.set(file, (users.get(file) ?? 0) + 1)

function* measurements() {
  for (const [key, files] of added) {
    const screen = screenOf(key)?.replace('/console', '')
    if (screen === 'sign-in/login')
      yield ['login, first load', sum(filesOf(key, new Set(entry))), BUDGETS.login]
    else if (screen) {
      yield [`${screen}, first load`, sum(filesOf(key, new Set(base))), BUDGETS.firstLoad]
      yield [`${screen}, without the shell`, sum(files), BUDGETS.screen]
    } else if (!CHART.test(key)) {
      yield [key, sum(files.filter(file => users.get(file) === 1)), BUDGETS.part]
      yield [`${key}, with the kit`, sum(files), BUDGETS.partWithKit]
    }
  }
  const styles = new Set(Object.values(manifest).flatMap(chunk => chunk.css ?? []))
  yield ['styles', sum(styles), BUDGETS.css]
}

/** Chunks that import each other run in the wrong order: one of them uses the other before it is initialised. */
function findChunkCycle() {
  const visited = new Set()
  const visit = (key, path) => {
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key]
    if (visited.has(key)) return undefined
    visited.add(key)
    return firstDefined(manifest[key]?.imports ?? [], imported => visit(imported, [...path, key]))
  }
  return firstDefined(Object.keys(manifest), key => visit(key, []))
}

function firstDefined(items, find) {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const lines = [...measurements()].toSorted((a, b) => b[1] / b[2] - a[1] / a[2])
const exceeded = lines.filter(([, size, budget]) => size > budget)
const print = ([name, size, budget]) =>
  process.stdout.write(`${size > budget ? 'OVER ' : 'ok   '} ${size.toFixed(1)} of ${budget} KB  ${name}\n`)
const showsAll = process.argv.includes('--all')
for (const line of showsAll
  ? lines
  : [...exceeded, ...lines.filter(line => !exceeded.includes(line)).slice(0, 5)])
  print(line)
const cycle = findChunkCycle()
if (cycle) process.stdout.write(`CYCLE ${cycle.join(' > ')}\n`)
process.exitCode = exceeded.length > 0 || cycle ? 1 : 0
