import type { Density } from './column.ts'

/** How high a row is, and what holds its place. */
export const ROW_HEIGHTS: Readonly<Record<Density, string>> = { compact: 'h-9', comfortable: 'h-11' }
