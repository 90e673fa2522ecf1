import { useEffect } from 'react'

interface Pages {
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  /** Undefined while it is not known. */
  readonly total: number | undefined
}

/** Goes to the last page when the one asked for has no rows any more. */
export function useLastPage({ page, size, setPage, total }: Pages): void {
  const last = total === undefined ? page : Math.max(Math.ceil(total / size), 1)
  useEffect(() => {
    if (page > last) setPage(last)
  }, [page, last, setPage])
}
