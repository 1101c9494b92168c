/** What becomes part of an archive in one step, and what is committed of its sources. */
package org.flowmon.archive.commit;
