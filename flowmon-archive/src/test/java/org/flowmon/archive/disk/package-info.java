/** Archives on full disks, and archives whose files are cut while they are read. */
package org.flowmon.archive.disk;
