import { type Axis, axisOf, type Series, type Slot, slotTotal } from '#console/ui/data/chart/series.ts'

const WIDTH = 1200
const HEIGHT = 560
const MARGIN = { top: 56, right: 96, bottom: 72, left: 24 } as const
const PLOT_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom
const TICKS = 8
const SCALE = 2
const FONT = '14px system-ui, sans-serif'
const BAR_SHARE = 0.8

interface ChartImage {
  readonly title: string
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

/** Draws a stacked bar chart as a PNG in the colours of the current theme. Undefined when the browser cannot draw it. */
export async function drawChart(image: ChartImage): Promise<Blob | undefined> {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  const context = canvas.getContext('2d')
  if (!context) return undefined
  context.scale(SCALE, SCALE)
  context.font = FONT
  const axis = axisOf(
    image.slots.map(slot => slotTotal(slot, image.series)),
    TICKS,
  )
  drawFrame(context, image, axis)
  drawBars(context, image, axis)
  drawLegend(context, image.series)
  return new Promise(resolve => canvas.toBlob(blob => resolve(blob ?? undefined)))
}

const tokenColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The swatch class of a series names its colour token and its opacity: `bg-series-3 opacity-70` stands for 70% of `--series-3`. */
function fillWithSeries(context: CanvasRenderingContext2D, { swatch }: Series): void {
  const [token = '', percent = '100'] = swatch.replace('bg-', '').split(' opacity-')
  context.fillStyle = tokenColour(`--${token}`)
  context.globalAlpha = Number(percent) / 100
}

function drawFrame(context: CanvasRenderingContext2D, image: ChartImage, { high, ticks }: Axis): void {
  const { title, slots, format } = image
  context.fillStyle = tokenColour('--surface')
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.fillStyle = tokenColour('--fg')
  context.fillText(title, MARGIN.left, MARGIN.top / 2)
  const floor = HEIGHT - MARGIN.bottom
  for (const tick of ticks) {
    const y = floor - (tick / high) * PLOT_HEIGHT
    context.fillStyle = tokenColour('--line')
    context.fillRect(MARGIN.left, y, WIDTH - MARGIN.left - MARGIN.right, 1)
    context.fillStyle = tokenColour('--muted')
    context.fillText(format(tick), WIDTH - MARGIN.right + 8, y + 5)
  }
  context.fillText(slots[0]?.label ?? '', MARGIN.left, floor + 22)
  context.textAlign = 'right'
  context.fillText(slots.at(-1)?.label ?? '', WIDTH - MARGIN.right, floor + 22)
  context.textAlign = 'left'
}

function drawBars(context: CanvasRenderingContext2D, { slots, series }: ChartImage, { high }: Axis): void {
  const slotWidth = (WIDTH - MARGIN.left - MARGIN.right) / slots.length
  for (const [index, slot] of slots.entries()) {
    let floor = HEIGHT - MARGIN.bottom
    for (const item of series) {
      const size = ((slot.values[item.id] ?? 0) / high) * PLOT_HEIGHT
      floor -= size
      fillWithSeries(context, item)
      context.fillRect(
        MARGIN.left + slotWidth * (index + (1 - BAR_SHARE) / 2),
        floor,
        slotWidth * BAR_SHARE,
        size,
      )
      context.globalAlpha = 1
    }
  }
}

function drawLegend(context: CanvasRenderingContext2D, series: readonly Series[]): void {
  let left: number = MARGIN.left
  for (const item of series) {
    fillWithSeries(context, item)
    context.fillRect(left, HEIGHT - 30, 10, 10)
    context.globalAlpha = 1
    context.fillStyle = tokenColour('--fg')
    context.fillText(item.name, left + 16, HEIGHT - 20)
    left += context.measureText(item.name).width + 36
  }
}
