/** Classes of one colour, in a chart and beside a name. `styles.css` names them all for Tailwind. */
export interface SeriesColour {
  readonly fill: string
  readonly stroke: string
  readonly swatch: string
  /** For letters: always the full shade. */
  readonly tint: string
}

/** Eight hues in three shades: with fewer colours, two models of a chart would often share one. */
const HUES = 8
const SHADES = ['', ' opacity-70', ' opacity-45'] as const
export const COLOURS = HUES * SHADES.length

const colourAt = (index: number): SeriesColour => {
  const hue = `series-${(index % HUES) + 1}`
  const shade = SHADES[Math.floor(index / HUES)] ?? ''
  return {
    fill: `fill-${hue}${shade}`,
    stroke: `stroke-${hue}${shade}`,
    swatch: `bg-${hue}${shade}`,
    tint: `text-${hue}`,
  }
}

/** For a single series, and for a chart whose series are no names. */
export const MAIN_COLOUR = colourAt(0)
/** For failures. */
export const DANGER_COLOUR: SeriesColour = {
  fill: 'fill-danger-solid',
  stroke: 'stroke-danger-solid',
  swatch: 'bg-danger-solid',
  tint: 'text-danger',
}
/** For everything that a chart does not distinguish. */
export const OTHER_COLOUR: SeriesColour = {
  fill: 'fill-subtle',
  stroke: 'stroke-subtle',
  swatch: 'bg-subtle',
  tint: 'text-subtle',
}

const FNV_START = 2_166_136_261
const FNV_PRIME = 16_777_619

/** The colour of a model, channel, group or tag: the same on every screen, in every range and order. */
export function colourOf(name: string): SeriesColour {
  const hash = [...name].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), FNV_PRIME) >>> 0,
    FNV_START,
  )
  return colourAt(hash % COLOURS)
}
