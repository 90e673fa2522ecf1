import { Copy, Scale } from 'lucide-react'
import { Suspense, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { Button, copyText } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { BulkBar } from '#console/ui/data/filter/filters.tsx'
import { Pagination } from '#console/ui/data/pagination.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useMedia } from '#console/ui/use-media.ts'
import { FacetColumn, PricingFilters } from './filters.tsx'
import { type Pricing, usePricing } from './queries.ts'
import { PricingCards, PricingTable, ratioText } from './table.tsx'
import { useScreenText } from './text.ts'

const modelSheet = lazyPart(async () => (await import('./sheet.tsx')).ModelSheet)
const compareDialog = lazyPart(async () => (await import('./compare-dialog.tsx')).CompareDialog)

const NONE_SELECTED: ReadonlySet<string> = new Set()
/** From this width on the facets have a column of their own. */
const WIDE = '(min-width: 1440px)'

export function PricingPage() {
  const t = useScreenText()
  const pricing = usePricing()
  const isWide = useMedia(WIDE)
  const { url, prices, matches, all } = pricing
  const opened = all.find(row => row.model_name === url.search.model)
  const title = <PageHeader title={t('title')} count={prices.data && String(matches.length)} />
  if (prices.error && !prices.data) {
    return (
      <div className="mx-auto max-w-360">
        {title}
        <LoadError error={prices.error} isBusy={prices.isFetching} onRetry={() => void prices.refetch()} />
      </div>
    )
  }
  return (
    <div className="mx-auto max-w-360">
      {title}
      <Banners pricing={pricing} />
      <div className={classes(isWide && 'grid grid-cols-[15rem_minmax(0,1fr)] items-start gap-6')}>
        {isWide && <FacetColumn pricing={pricing} />}
        <div className="min-w-0">
          <ModelList pricing={pricing} isPinned={isWide} />
          <Formula />
        </div>
      </div>
      <Suspense fallback={null}>
        {opened && <modelSheet.Part row={opened} pricing={pricing} onClose={() => url.set({ model: '' })} />}
      </Suspense>
    </div>
  )
}

/** How a cost follows from ratios and tokens. */
function Formula() {
  const t = useScreenText()
  const { quotaPerUnit, language } = useMoney()
  return (
    <p className="mt-4 text-small text-muted">
      {t('formula', { unit: formatNumber(quotaPerUnit, language) })}
    </p>
  )
}

interface ModelListProps {
  readonly pricing: Pricing
  readonly isPinned: boolean
}

/** The filters, the matching models and their pages. */
function ModelList({ pricing, isPinned }: ModelListProps) {
  const [selected, setSelected] = useState(NONE_SELECTED)
  const { url, prices, matches, pageRows } = pricing
  return (
    <>
      {selected.size > 0 ? (
        <SelectedBar pricing={pricing} selected={selected} onClear={() => setSelected(NONE_SELECTED)} />
      ) : (
        <PricingFilters pricing={pricing} isPinned={isPinned} />
      )}
      {prices.error && (
        <LoadError error={prices.error} isBusy={prices.isFetching} onRetry={() => void prices.refetch()} />
      )}
      {url.search.view === 'cards' && pageRows.length > 0 ? (
        <PricingCards pricing={pricing} />
      ) : (
        <PricingTable pricing={pricing} selection={{ ids: selected, onChange: setSelected }} />
      )}
      {matches.length > 0 && (
        <Pagination
          page={url.page}
          size={url.size}
          total={matches.length}
          shown={pageRows.length}
          onPage={url.setPage}
          onSize={url.setSize}
        />
      )}
    </>
  )
}

/** States the group whose prices are shown. */
function Banners({ pricing: { prices, isGuest, ownGroup, groupRatio } }: { readonly pricing: Pricing }) {
  const t = useScreenText()
  const ratio = ratioText(groupRatio(ownGroup))
  return (
    <div className="mb-4 grid gap-2">
      {prices.data ? (
        <Banner tone="info">
          {isGuest ? t('guest', { ratio }) : t('member', { group: ownGroup, ratio })}
        </Banner>
      ) : (
        <Skeleton className="h-11 w-full rounded-card!" />
      )}
    </div>
  )
}

const COMPARED_MAX = 4

interface SelectedBarProps {
  readonly pricing: Pricing
  readonly selected: ReadonlySet<string>
  readonly onClear: () => void
}

function SelectedBar({ pricing, selected, onClear }: SelectedBarProps) {
  const t = useScreenText()
  const [isComparing, setComparing] = useState(false)
  const names = [...selected]
  const copy = async () => {
    if (await copyText(names.join(','))) toast('success', t('copiedMany', { count: names.length }))
  }
  return (
    <>
      <BulkBar count={selected.size} onClear={onClear}>
        <Button icon={Copy} onClick={() => void copy()}>
          {t('copySelected')}
        </Button>
        <Button
          icon={Scale}
          disabled={selected.size < 2 || selected.size > COMPARED_MAX}
          onClick={() => setComparing(true)}
        >
          {t('compare', { most: COMPARED_MAX })}
        </Button>
      </BulkBar>
      <Suspense fallback={null}>
        {isComparing && (
          <compareDialog.Part
            rows={pricing.all.filter(row => selected.has(row.model_name))}
            group={pricing.group}
            ratio={pricing.groupRatio(pricing.group)}
            onClose={() => setComparing(false)}
          />
        )}
      </Suspense>
    </>
  )
}
