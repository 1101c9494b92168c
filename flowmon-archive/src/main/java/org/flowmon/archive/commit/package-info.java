/**
 * Commits to an archive, each of which takes effect in one step, and the committed state of its
 * sources.
 */
package org.flowmon.archive.commit;
