import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react'
import { IconButton } from '../buttons/buttons.tsx'
import { Select } from '../forms/fields.tsx'
import { useKitText } from '../text/kit-text.ts'

export const ROWS_PER_PAGE = [10, 20, 50, 100] as const

interface PaginationProps {
  /** Counted from 1. */
  readonly page: number
  readonly size: number
  /** Undefined when the server sends no total. */
  readonly total: number | undefined
  /** Number of rows on this page. */
  readonly shown: number
  readonly onPage: (page: number) => void
  readonly onSize: (size: number) => void
}

/** Row range, page size and page buttons. */
export function Pagination({ page, size, total, shown, onPage, onSize }: PaginationProps) {
  const t = useKitText()
  const pages = total === undefined ? undefined : Math.max(Math.ceil(total / size), 1)
  const hasNext = pages === undefined ? shown >= size : page < pages
  const from = (page - 1) * size + 1
  const range =
    total === undefined
      ? t('pageOnly', { page })
      : shown === 0
        ? t('pageEmpty')
        : t('pageRange', { from, to: from + shown - 1, total })
  return (
    <nav
      aria-label={t('pages')}
      className="mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 text-small text-muted"
    >
      <span className="tabular" role="status">
        {range}
      </span>
      <div className="flex items-center gap-4">
        <span className="flex items-center gap-2">
          <span aria-hidden>{t('rowsPerPage')}</span>
          <Select
            isSmall
            aria-label={t('rowsPerPage')}
            value={String(size)}
            options={ROWS_PER_PAGE.map(rows => ({ value: String(rows), label: String(rows) }))}
            onChange={rows => onSize(Number(rows))}
          />
        </span>
        <span className="flex items-center gap-0.5 coarse:gap-3">
          <IconButton
            label={t('firstPage')}
            icon={ChevronsLeft}
            size="small"
            disabled={page <= 1}
            onClick={() => onPage(1)}
          />
          <IconButton
            label={t('previousPage')}
            icon={ChevronLeft}
            size="small"
            shortcut="["
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          />
          <span className="px-1.5 tabular whitespace-nowrap">
            {pages === undefined ? page : t('pageOf', { page, pages })}
          </span>
          <IconButton
            label={t('nextPage')}
            icon={ChevronRight}
            size="small"
            shortcut="]"
            disabled={!hasNext}
            onClick={() => onPage(page + 1)}
          />
          {pages !== undefined && (
            <IconButton
              label={t('lastPage')}
              icon={ChevronsRight}
              size="small"
              disabled={page >= pages}
              onClick={() => onPage(pages)}
            />
          )}
        </span>
      </div>
    </nav>
  )
}
