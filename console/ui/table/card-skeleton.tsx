import { Skeleton } from '../skeleton.tsx'

interface CardSkeletonProps {
  readonly cards: number
  readonly hasActions: boolean
}

/** Holds the place of a page of cards: each part of a card as high as it will be. */
export const CardSkeleton = ({ cards, hasActions }: CardSkeletonProps) => (
  <ul aria-hidden className="grid grid-cols-1 gap-3">
    {Array.from({ length: cards }, (_, card) => `card-${card}`).map(key => (
      <li key={key} className="grid grid-cols-1 gap-3 rounded-card border border-line bg-surface p-3">
        <div className="flex h-10 justify-between">
          <div className="grid content-around">
            <Skeleton className="h-3.5 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="h-5.5 w-16" />
        </div>
        <div className="grid h-11 grid-cols-3 content-around gap-2">
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-4 w-18" />
          <Skeleton className="h-4 w-16" />
          <Skeleton className="h-4 w-14" />
        </div>
        {hasActions && (
          <div className="-mx-3 -mb-3 flex h-12.25 items-center justify-around border-t border-line">
            <Skeleton className="size-4" />
            <Skeleton className="size-4" />
            <Skeleton className="size-4" />
          </div>
        )}
      </li>
    ))}
  </ul>
)
