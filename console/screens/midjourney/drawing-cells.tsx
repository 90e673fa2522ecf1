import { Link } from '@tanstack/react-router'
import { ImageOff } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Drawing } from '#contract/tasks.ts'
import { endOf, progressShare } from '../../app/progress-share.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { actionWord, codeFace, durationOf, durationTone, statusFace } from './drawing-state.ts'
import { text } from './text.ts'

const viewer = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog)

interface DrawingProps {
  readonly drawing: Drawing
}

export function ActionCell({ drawing: { action } }: DrawingProps) {
  const t = useText(text)
  const word = actionWord(action)
  return (
    <StatusBadge tone="neutral" mark="none">
      {word ? t(word) : action || t('unknown')}
    </StatusBadge>
  )
}

export function StatusCell({ drawing }: DrawingProps) {
  const t = useText(text)
  const [word, tone, mark] = statusFace(drawing.status)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
}

export function CodeCell({ drawing }: DrawingProps) {
  const t = useText(text)
  const [word, tone, mark] = codeFace(drawing.code)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word)}
    </StatusBadge>
  )
}

export function DurationCell({ drawing }: DrawingProps) {
  const t = useText(text)
  const seconds = durationOf(drawing)
  if (seconds === undefined) return null
  return (
    <StatusBadge tone={durationTone(seconds)} mark="none">
      {t('seconds', { count: seconds })}
    </StatusBadge>
  )
}

export function ProgressCell({ drawing: { progress, status } }: DrawingProps) {
  const t = useText(text)
  return (
    <span className="inline-grid min-w-20 gap-1 tabular">
      {progress || '0%'}
      <ProgressBar
        label={t('progress')}
        share={progressShare(progress)}
        text={progress || '0%'}
        end={endOf(status)}
      />
    </span>
  )
}

export function ChannelCell({ drawing: { channel_id: id } }: DrawingProps) {
  const t = useText(text)
  if (id === 0) return null
  return (
    <Link
      to={`/channel/edit/${id}`}
      aria-label={t('openChannel', { id })}
      className="rounded-control text-accent tabular hover:underline underline-offset-2"
    >
      {`#${id}`}
    </Link>
  )
}

/** The picture in small, which opens it. */
export function PictureCell({ drawing, size = 'h-10' }: DrawingProps & { readonly size?: string }) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  const [failedUrl, setFailedUrl] = useState('')
  const { image_url: url, prompt } = drawing
  const isLost = failedUrl === url
  if (url === '') return <span className="text-subtle">{t('noPicture')}</span>
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`${t(isLost ? 'pictureNotShown' : 'showPicture')} · ${prompt || drawing.mj_id}`}
        onPointerEnter={viewer.preload}
        onFocus={viewer.preload}
        onClick={() => setOpen(true)}
        className={`${size} block overflow-hidden rounded-control border border-line bg-sunken`}
      >
        {isLost ? (
          <span className="grid size-full min-w-10 place-items-center text-subtle">
            <ImageOff size={18} aria-hidden />
          </span>
        ) : (
          <img
            src={url}
            alt=""
            loading="lazy"
            onError={() => setFailedUrl(url)}
            className="size-full object-cover"
          />
        )}
      </button>
      <Suspense fallback={null}>
        {isOpen && <viewer.Part url={url} prompt={prompt} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
