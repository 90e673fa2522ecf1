import { useMutation } from '@tanstack/react-query'
import { Download, Eye, EyeOff, Pause, Play } from 'lucide-react'
import { LOG_EXPORT_ROWS_MAX } from '#contract/logs/logs.ts'
import { downloadFile } from '../../app/list/csv.ts'
import { toggleMask, useIsMasked } from '../../app/preferences/privacy.tsx'
import { formatNumber } from '../../app/money/money.tsx'
import { formatDateTime, nowSeconds } from '../../app/time/time.tsx'
import { Button, IconButton } from '../../ui/buttons/button.tsx'
import { classes } from '../../ui/class-names.ts'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { fetchCsv } from './queries.ts'
import { text } from './text.ts'
import type { LogUrl } from './use-log-view.ts'

interface LogToolsProps {
  readonly url: LogUrl
  readonly total: number | undefined
}

/** Hide amounts, follow the tail, export what matches. */
export function LogTools({ url, total = 0 }: LogToolsProps) {
  const t = useText(text)
  const language = useLanguage()
  const isMasked = useIsMasked()
  const { search, set, view } = url
  const isLive = search.live === '1'
  const save = useMutation({
    mutationFn: () => fetchCsv(view),
    onSuccess: bytes => {
      downloadFile(`log ${formatDateTime(nowSeconds())}.csv`, bytes)
      if (total > LOG_EXPORT_ROWS_MAX)
        toast('warning', t('exportCapped', { count: formatNumber(LOG_EXPORT_ROWS_MAX, language) }))
    },
  })
  return (
    <>
      <IconButton
        label={isMasked ? t('showAmounts') : t('hideAmounts')}
        icon={isMasked ? EyeOff : Eye}
        aria-pressed={isMasked}
        onClick={toggleMask}
      />
      <Button
        icon={isLive ? Pause : Play}
        aria-pressed={isLive}
        className={classes(isLive && 'border-primary bg-selected text-accent')}
        onClick={() => set({ live: isLive ? '' : '1', ...(isLive ? {} : { p: 1 }) })}
      >
        {isLive ? t('pause') : t('live')}
      </Button>
      <Button icon={Download} isBusy={save.isPending} onClick={() => save.mutate()}>
        {t('export')}
      </Button>
    </>
  )
}
