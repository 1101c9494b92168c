/**
 * Background work on an archive, and its checks: merging small segments, rewriting them, verifying
 * every byte.
 */
package org.flowmon.archive.maintenance;
