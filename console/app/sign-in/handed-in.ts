const KEY = 'handed-in'

/** Whether this tab has handed this in before, also when it was loaded anew since. Only the last one is kept. */
export const wasHandedIn = (returned: string): boolean => sessionStorage.getItem(KEY) === returned

export const noteHandedIn = (returned: string): void => sessionStorage.setItem(KEY, returned)
