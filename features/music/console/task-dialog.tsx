import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import type { Task } from '../contract.ts'
import { readLyrics, readSongs, type Song } from './task.ts'
import { useScreenText } from './text.ts'

interface TaskDialogProps {
  readonly task: Task
  readonly onClose: () => void
}

/** The result of a task (songs to play, lyrics to read) and the raw response of the server. */
export function TaskDialog({ task, onClose }: TaskDialogProps) {
  const t = useScreenText()
  const songs = readSongs(task.data)
  const lyrics = readLyrics(task.data)
  const json = JSON.stringify(task, null, 2)
  return (
    <Dialog
      title={t('detail', { id: task.task_id || `#${task.id}` })}
      width="large"
      onClose={onClose}
      footer={<CopyButton text={json} label={t('copyRaw')} buttonText={t('copyRaw')} size="normal" />}
    >
      <div className="grid grid-cols-1 gap-5">
        {task.fail_reason !== '' && <p className="break-words text-danger">{task.fail_reason}</p>}
        {songs.length > 0 && (
          <section aria-label={t('songs')} className="grid gap-3">
            {songs.map(song => (
              <SongRow key={song.id} song={song} />
            ))}
          </section>
        )}
        {lyrics && (
          <section aria-label={t('lyrics')}>
            <h3 className="mb-1 font-medium">{lyrics.title || t('lyrics')}</h3>
            <p className="break-words whitespace-pre-wrap">{lyrics.text}</p>
          </section>
        )}
        <section aria-label={t('raw')}>
          <h3 className="mb-1 font-medium">{t('raw')}</h3>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-card border border-line bg-sunken p-3 font-mono text-caption leading-5 break-all whitespace-pre-wrap"
          >
            {json}
          </pre>
        </section>
      </div>
    </Dialog>
  )
}

function SongRow({ song }: { readonly song: Song }) {
  const t = useScreenText()
  const title = song.title || t('untitled')
  return (
    <figure className="flex flex-wrap items-center gap-3">
      {song.picture !== '' && (
        <img src={song.picture} alt="" className="size-12 rounded-control border border-line object-cover" />
      )}
      <figcaption className="min-w-0 flex-1 truncate font-medium">{title}</figcaption>
      {/* biome-ignore lint/a11y/useMediaCaption: the provider gives no captions; the lyrics are in the raw data below */}
      <audio controls preload="none" src={song.audio} aria-label={title} className="h-9 w-full sm:w-72" />
    </figure>
  )
}
