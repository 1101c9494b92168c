/**
 * Files that follow from segments, the same for whatever they hold: <em>runs</em>, each written
 * once and covering some segments. Which runs there are, which one answers for which segment, and
 * when they are merged.
 */
package org.flowmon.archive.derived;
