/** flowmon inspect: facts from the files of an archive and about the archive as a whole. */
package org.flowmon.deploy.inspect;
