import type { Drawing } from '#contract/tasks.ts'
import { PictureCell, StatusCell } from './drawing-cells.tsx'

/** The drawings of this page as pictures; those that have none yet by their state. */
export function Gallery({ rows }: { readonly rows: readonly Drawing[] }) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4 2xl:grid-cols-5">
      {rows.map(drawing => (
        <li
          key={drawing.id}
          className="grid content-start gap-2 rounded-card border border-line bg-surface p-2"
        >
          {drawing.image_url === '' ? (
            <div className="flex aspect-square items-center justify-center rounded-control bg-sunken">
              <StatusCell drawing={drawing} />
            </div>
          ) : (
            <PictureCell drawing={drawing} size="aspect-square w-full" />
          )}
          <p className="line-clamp-2 text-caption break-words text-muted">{drawing.prompt}</p>
        </li>
      ))}
    </ul>
  )
}
