/** A file system that forgets unsynced changes when the power fails. */
package org.flowmon.archive.unsynced;
