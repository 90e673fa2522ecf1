import { nowMs } from './clock.ts'
import { newestSliceAt, oldestSliceAt, placeAfter, type RateWindows } from './rate-windows.ts'

/** Subjects that are remembered; the one unused for longest makes room. */
const SUBJECTS_MAX = 20_000

/** Counts in the memory of this process: for the one process of an embedded database, and when a shared place fails. */
export function openLocalRateWindows(subjectsMax = SUBJECTS_MAX): RateWindows {
  const slicesOf = new Map<string, Map<number, number>>()
  const remember = (key: string, slices: Map<number, number>): void => {
    slicesOf.delete(key)
    slicesOf.set(key, slices)
    const [stalest] = slicesOf.keys()
    if (slicesOf.size > subjectsMax && stalest !== undefined) slicesOf.delete(stalest)
  }
  return {
    async take(limit, subject) {
      const key = `${limit.name} ${subject}`
      const now = nowMs()
      const slices = new Map(slicesOf.get(key))
      const [oldest, newest] = [oldestSliceAt(limit, now), newestSliceAt(limit, now)]
      for (const slice of slices.keys()) if (slice < oldest || slice > newest) slices.delete(slice)
      const place = placeAfter([...slices], limit, now)
      if (place.isFree) slices.set(place.slice, (slices.get(place.slice) ?? 0) + 1)
      remember(key, slices)
      return place
    },
    look: async (limit, subject) =>
      placeAfter([...(slicesOf.get(`${limit.name} ${subject}`) ?? [])], limit, nowMs()),
    async giveBack(limit, subject, { slice }) {
      const slices = slicesOf.get(`${limit.name} ${subject}`)
      const count = slices?.get(slice) ?? 0
      if (count > 0) slices?.set(slice, count - 1)
    },
    close: async () => slicesOf.clear(),
  }
}
