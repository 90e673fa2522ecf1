import { GlobalRegistrator } from '@happy-dom/global-registrator'
import './vite-glob.ts'

/** The globals of a browser, for the tests of a process. Loaded before them. */
GlobalRegistrator.register({ url: 'http://console.test/', width: 1440, height: 900 })

/** The top layer, which happy-dom does not know. What is in it shows in browsers only. */
HTMLElement.prototype.showPopover = () => undefined
HTMLElement.prototype.hidePopover = () => undefined
