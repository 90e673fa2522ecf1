import type { LatestRelease } from '#contract/options/options.ts'
import { plainErrorText } from '../../../app/api/call.ts'
import { formatDateTime } from '../../../app/time/time.tsx'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { useText } from '../../../ui/text/text.ts'
import { useUpdateCheck } from './queries.ts'
import { otherText } from './text.ts'

/** Asks, when the reader wants it, whether there is a newer version. Its notes are shown as they are: no picture of strangers is loaded. */
export function UpdateCheck() {
  const t = useText(otherText)
  const check = useUpdateCheck()
  return (
    <>
      <Button className="justify-self-start" isBusy={check.isPending} onClick={() => check.mutate()}>
        {t('checkUpdate')}
      </Button>
      {check.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(check.error)}
        </Banner>
      )}
      <div role="status" className="grid gap-3 empty:hidden">
        {check.data && <Found release={check.data} />}
      </div>
    </>
  )
}

function Found({ release }: { readonly release: LatestRelease }) {
  const t = useText(otherText)
  const { latest: version, url, notes, published_at: at } = release
  if (!release.is_newer) return <Banner tone="success">{t('upToDate', { version: release.running })}</Banner>
  return (
    <section aria-label={t('newer', { version })} className="grid gap-3">
      <Banner tone="info">
        {at > 0 ? t('newerOf', { version, time: formatDateTime(at) }) : t('newer', { version })}
      </Banner>
      {notes.trim() !== '' && (
        <p className="max-h-80 overflow-y-auto whitespace-pre-wrap rounded-card border border-line px-4 py-3 text-small">
          {notes}
        </p>
      )}
      {url !== '' && (
        <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
          {t('openRelease')}
        </a>
      )}
    </section>
  )
}
