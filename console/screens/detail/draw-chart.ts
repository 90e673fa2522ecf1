import { niceCeiling, type Series, type Slot, totalOf } from '../../ui/data/chart/series.ts'

const WIDTH = 1200
const HEIGHT = 560
const MARGIN = { top: 56, right: 96, bottom: 72, left: 24 } as const
const SCALE = 2
const FONT = '14px system-ui, sans-serif'
const BAR_SHARE = 0.8

interface ChartImage {
  readonly title: string
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

/** The chart as a PNG, in the colours of the page. Undefined where the browser draws none. */
export async function drawChart(picture: ChartImage): Promise<Blob | undefined> {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  const pen = canvas.getContext('2d')
  if (!pen) return undefined
  pen.scale(SCALE, SCALE)
  pen.font = FONT
  drawFrame(pen, picture)
  drawBars(pen, picture)
  drawLegend(pen, picture.series)
  return new Promise(resolve => canvas.toBlob(blob => resolve(blob ?? undefined)))
}

const tokenColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The class of a series names its token: `bg-series-3` is drawn in `--series-3`. */
const seriesColour = ({ swatch }: Series): string => tokenColour(`--${swatch.replace('bg-', '')}`)

const axisMax = ({ slots, series }: ChartImage): number =>
  niceCeiling(Math.max(...slots.map(slot => totalOf(slot, series)), 0))

function drawFrame(pen: CanvasRenderingContext2D, picture: ChartImage): void {
  const { title, slots, format } = picture
  pen.fillStyle = tokenColour('--surface')
  pen.fillRect(0, 0, WIDTH, HEIGHT)
  pen.fillStyle = tokenColour('--fg')
  pen.fillText(title, MARGIN.left, MARGIN.top / 2)
  pen.fillStyle = tokenColour('--muted')
  const floor = HEIGHT - MARGIN.bottom
  pen.fillText(format(axisMax(picture)), WIDTH - MARGIN.right + 8, MARGIN.top + 5)
  pen.fillText('0', WIDTH - MARGIN.right + 8, floor + 5)
  pen.fillText(slots[0]?.label ?? '', MARGIN.left, floor + 22)
  pen.textAlign = 'right'
  pen.fillText(slots.at(-1)?.label ?? '', WIDTH - MARGIN.right, floor + 22)
  pen.textAlign = 'left'
  pen.fillRect(MARGIN.left, floor, WIDTH - MARGIN.left - MARGIN.right, 1)
}

function drawBars(pen: CanvasRenderingContext2D, picture: ChartImage): void {
  const { slots, series } = picture
  const most = axisMax(picture)
  const room = (WIDTH - MARGIN.left - MARGIN.right) / slots.length
  const height = HEIGHT - MARGIN.top - MARGIN.bottom
  for (const [index, slot] of slots.entries()) {
    let floor = HEIGHT - MARGIN.bottom
    for (const one of series) {
      const size = ((slot.values[one.id] ?? 0) / most) * height
      floor -= size
      pen.fillStyle = seriesColour(one)
      pen.fillRect(MARGIN.left + room * (index + (1 - BAR_SHARE) / 2), floor, room * BAR_SHARE, size)
    }
  }
}

function drawLegend(pen: CanvasRenderingContext2D, series: readonly Series[]): void {
  let left: number = MARGIN.left
  for (const one of series) {
    pen.fillStyle = seriesColour(one)
    pen.fillRect(left, HEIGHT - 30, 10, 10)
    pen.fillStyle = tokenColour('--fg')
    pen.fillText(one.name, left + 16, HEIGHT - 20)
    left += pen.measureText(one.name).width + 36
  }
}
