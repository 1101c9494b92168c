/** flowmon inspect: what the files of an archive say of themselves, and the archive as a whole. */
package org.flowmon.deploy.inspect;
