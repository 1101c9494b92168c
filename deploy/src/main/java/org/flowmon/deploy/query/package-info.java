/** Commands that ask an archive: queries as SQL, what one host does, which addresses were seen. */
package org.flowmon.deploy.query;
