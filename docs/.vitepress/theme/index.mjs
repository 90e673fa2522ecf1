import Theme from 'vitepress/theme-without-fonts'
import './theme.css'

/** The default theme with the fonts of the reader's system: web fonts would be half of the first load. */
export default Theme
