import { expect, test } from 'bun:test'

const css = await Bun.file(new URL('./tokens.css', import.meta.url)).text()
const [lightCss = '', darkCss = ''] = css.split(':root[data-theme="dark"]')

type Colours = ReadonlyMap<string, string>

const read = (part: string): Colours =>
  new Map([...part.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]))

const themes = { light: read(lightCss), dark: read(darkCss) } as const

/** Björn Ottosson's OKLab to linear sRGB: https://bottosson.github.io/posts/oklab/ */
function linearOfOklch(lightness: number, chroma: number, hue: number): number[] {
  const angle = (hue * Math.PI) / 180
  const a = chroma * Math.cos(angle)
  const b = chroma * Math.sin(angle)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(channel => Math.min(Math.max(channel, 0), 1))
}

const linearOfHex = (hex: string): number[] =>
  [1, 3, 5].map(at => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })

function luminance(colour: string): number {
  const numbers = /oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/.exec(colour)?.slice(1).map(Number)
  const [l = 0, c = 0, h = 0] = numbers ?? []
  const [red = 0, green = 0, blue = 0] = colour.startsWith('#') ? linearOfHex(colour) : linearOfOklch(l, c, h)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(colours: Colours, one: string, other: string): number {
  const [high = 0, low = 0] = [one, other]
    .map(name => {
      const colour = colours.get(name)
      if (!colour) throw new Error(`no colour ${name}`)
      return luminance(colour)
    })
    .toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

const GROUNDS = ['bg', 'surface', 'sunken', 'raised', 'hover', 'selected']
const TEXTS = ['fg', 'muted', 'subtle', 'accent']
const TEXT_PAIRS = [
  ...GROUNDS.flatMap(ground => TEXTS.map(text => [text, ground] as const)),
  ['on-primary', 'primary'],
  ['on-primary', 'primary-hover'],
  ['on-danger', 'danger-solid'],
  ['on-danger', 'danger-solid-hover'],
  ['success', 'success-bg'],
  ['lime', 'success-bg'],
  ['warning', 'warning-bg'],
  ['danger', 'danger-bg'],
  ['danger', 'surface'],
  ['info', 'info-bg'],
  ['neutral', 'neutral-bg'],
  ['bg', 'fg'],
] as const

const SERIES = ['1', '2', '3', '4', '5', '6', '7', '8']
const MARK_PAIRS = [
  ...['surface', 'bg', 'raised'].flatMap(ground => [
    ['line-strong', ground] as const,
    ['ring', ground] as const,
  ]),
  ...['surface', 'bg'].flatMap(ground => SERIES.map(series => [`series-${series}`, ground] as const)),
  ['primary', 'surface'],
] as const

for (const [theme, colours] of Object.entries(themes)) {
  test.each([...TEXT_PAIRS])(`${theme}: %s reads on %s with at least 4.5:1`, (text, ground) => {
    expect(contrast(colours, text, ground)).toBeGreaterThanOrEqual(4.5)
  })

  test.each([...MARK_PAIRS])(`${theme}: %s shows on %s with at least 3:1`, (mark, ground) => {
    expect(contrast(colours, mark, ground)).toBeGreaterThanOrEqual(3)
  })
}

test('defines the same colours in both themes', () => {
  expect([...themes.dark.keys()].toSorted()).toEqual([...themes.light.keys()].toSorted())
})
