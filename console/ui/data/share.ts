const WHOLE = 100
const LEAST = 0.1

/** A share of a total: `12.5%`. Neither 0% nor 100% unless it is none or all; a dash without a total. */
export function shareText(part: number, total: number): string {
  if (total <= 0) return '-'
  const rounded = Number(((part / total) * WHOLE).toFixed(1))
  return `${Math.min(Math.max(rounded, part > 0 ? LEAST : 0), part < total ? WHOLE - LEAST : WHOLE)}%`
}
