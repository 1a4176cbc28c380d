package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// markVolumes puts the pool's tags on the volumes that are to be deleted with the server, before it is deleted: Nova makes
// them without any mark, and does not always delete them. Volumes that somebody attached are not touched.
func (p *Provider) markVolumes(ctx context.Context, s server) error {
	if p.volumes == nil {
		return nil
	}
	tags := map[string]any{"metadata": map[string]string{
		elasticpool.TagPool: s.Metadata[elasticpool.TagPool], elasticpool.TagVM: s.Metadata[elasticpool.TagVM],
	}}
	for _, volume := range s.Volumes {
		if !volume.Dies {
			continue
		}
		_, err := p.volumes.Post(ctx, p.volumes.ServiceURL("volumes", volume.ID, "metadata"), tags, nil, //nolint:bodyclose // closed by gophercloud
			&gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}})
		if err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// markedVolumes returns the volumes that bear the pool's tags and, if one is given, the VM's. Cinder shows admins no
// other projects' volumes unless they ask for them.
func (p *Provider) markedVolumes(ctx context.Context, vm string) ([]volumes.Volume, error) {
	tags := map[string]string{elasticpool.TagPool: p.settings.Pool}
	if vm != "" {
		tags[elasticpool.TagVM] = vm
	}
	pages, err := volumes.List(p.volumes, volumes.ListOpts{Metadata: tags}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	all, err := volumes.ExtractVolumes(pages)
	return slices.DeleteFunc(all, func(v volumes.Volume) bool {
		of := v.Metadata[elasticpool.TagVM]
		return v.Metadata[elasticpool.TagPool] != p.settings.Pool || of == "" || vm != "" && of != vm
	}), err
}

// deleteVolume deletes a volume; one that is gone is no error.
func (p *Provider) deleteVolume(ctx context.Context, id string) error {
	err := volumes.Delete(ctx, p.volumes, id, volumes.DeleteOpts{}).ExtractErr()
	if gone(err) {
		return nil
	}
	return err
}
